/** Methods of groups by path, with their return values when the feature is absent. */
export const GROUP_METHODS = {
  group: undefined,
  getGroups: {},
  resetGroups: undefined,
}
