/** Methods of the toolbar by path, with their return values when the feature is absent. */
export const TOOLBAR_METHODS = {
  loadToolbar: false,
}
