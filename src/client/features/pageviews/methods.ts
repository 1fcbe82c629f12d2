/** Methods of pageviews by path, with their return values when the feature is absent. */
export const PAGEVIEW_METHODS = {
  getPageViewId: undefined,
}
