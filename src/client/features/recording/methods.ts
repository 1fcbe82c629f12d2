/** The methods of recording by path, and what they return without the feature. */
export const RECORDING_METHODS = {
  startSessionRecording: undefined,
  stopSessionRecording: undefined,
  sessionRecordingStarted: false,
  'sessionRecording.log': undefined,
  'sessionRecording.tryAddCustomEvent': false,
}
