/** Display names of the SDK's events. */
const NAMES: Readonly<Record<string, string>> = {
  $pageview: 'Page view',
  $pageleave: 'Page leave',
  $screen: 'Screen',
  $autocapture: 'Click or input (autocaptured)',
  $rageclick: 'Rage click',
  $dead_click: 'Dead click',
  $dead_swipe: 'Dead swipe',
  $identify: 'Identify',
  $create_alias: 'Alias',
  $set: 'Set person properties',
  $groupidentify: 'Group identify',
  $feature_flag_called: 'Flag called',
  $exception: 'Exception',
  $web_vitals: 'Web vitals',
}

/** Returns the display name of an event: for unknown events their own name, for `''` "All events". */
export const eventName = (name: string): string =>
  name === '' ? 'All events' : Object.hasOwn(NAMES, name) ? NAMES[name]! : name
