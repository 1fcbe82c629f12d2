/** The settings that PostHog sends for a project that has only turned recording on. */
export const POSTHOG_RECORDING = {
  endpoint: '/s/',
  consoleLogRecordingEnabled: true,
  recorderVersion: 'v2',
  sampleRate: null,
  minimumDurationMilliseconds: null,
  linkedFlag: null,
  networkPayloadCapture: null,
  masking: null,
  urlTriggers: [],
  urlBlocklist: [],
  eventTriggers: [],
  triggerMatchType: null,
  scriptConfig: null,
  recordCanvas: false,
  canvasFps: null,
  canvasQuality: null,
}
