/** Methods of exceptions by path, with their return values when the feature is absent. */
export const EXCEPTION_METHODS = {
  captureException: undefined,
  addExceptionStep: undefined,
  startExceptionAutocapture: undefined,
  stopExceptionAutocapture: undefined,
}
