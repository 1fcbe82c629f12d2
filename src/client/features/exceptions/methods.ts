/** The methods of exceptions by path, and what they return without the feature. */
export const EXCEPTION_METHODS = {
  captureException: undefined,
  addExceptionStep: undefined,
  startExceptionAutocapture: undefined,
  stopExceptionAutocapture: undefined,
}
