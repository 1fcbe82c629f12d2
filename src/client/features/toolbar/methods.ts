/** The methods of toolbar by path, and what they return without the feature. */
export const TOOLBAR_METHODS = {
  loadToolbar: false,
}
