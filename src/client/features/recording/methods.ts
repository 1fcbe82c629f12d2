/** Methods of recording by path, with their return values when the feature is absent. */
export const RECORDING_METHODS = {
  startSessionRecording: undefined,
  stopSessionRecording: undefined,
  sessionRecordingStarted: false,
  'sessionRecording.log': undefined,
  'sessionRecording.tryAddCustomEvent': false,
}
