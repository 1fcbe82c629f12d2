/** The methods of groups by path, and what they return without the feature. */
export const GROUP_METHODS = {
  group: undefined,
  getGroups: {},
  resetGroups: undefined,
}
