/** The methods of pageviews by path, and what they return without the feature. */
export const PAGEVIEW_METHODS = {
  getPageViewId: undefined,
}
