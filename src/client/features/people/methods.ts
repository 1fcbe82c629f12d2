export const PEOPLE_METHODS = {
  identify: undefined,
  alias: undefined,
  setPersonProperties: undefined,
  unsetPersonProperties: undefined,
  createPersonProfile: undefined,
  setInternalOrTestUser: undefined,
  captureTraceFeedback: undefined,
  captureTraceMetric: undefined,
  'people.set': undefined,
  'people.set_once': undefined,
}
