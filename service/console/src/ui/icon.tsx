/** Paths of 20 × 20 line icons. */
const PATHS = {
  overview: 'M3 16V9m5 7V4m5 12v-5m4 5V7',
  live: 'M10 10h.01M6.5 13.5a5 5 0 0 1 0-7m7 0a5 5 0 0 1 0 7M4 16a8.5 8.5 0 0 1 0-12m12 0a8.5 8.5 0 0 1 0 12',
  events: 'M7 5h10M7 10h10M7 15h10M3 5h.01M3 10h.01M3 15h.01',
  people: 'M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-6 7c0-3 2.7-5 6-5s6 2 6 5',
  insights: 'M3 14l4-5 4 3 6-8m0 0h-4m4 0v4',
  dashboards: 'M3 3h6v8H3zM11 3h6v5h-6zM3 13h6v4H3zM11 10h6v7h-6z',
  endpoints: 'M7 6 3 10l4 4m6-8 4 4-4 4m-1.5-10-3 12',
  flags: 'M5 17V3m0 1c4-2.5 6 2 10 0v7c-4 2-6-2.500-10 0',
  setup: 'm4 10 4 4 8-9',
  settings: 'M3 6h8m4 0h2M3 14h2m4 0h8M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  recordings: 'M3 4h14v9H3zM8 17h4m-3-6.500 3-2-3-2z',
  surveys: 'M3 4h14v9H9l-4 4v-4H3zM7 8.500h.01M10 8.500h.01M13 8.500h.01',
  vitals: 'M2 11h4l2-6 4 11 2-5h4',
  heatmaps: 'M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm0 4a7 7 0 1 0 0-14 7 7 0 0 0 0 14Z',
  menu: 'M3 5h14M3 10h14M3 15h14',
  close: 'm5 5 10 10M15 5 5 15',
  search: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12Zm4.300-1.700L17 17',
  filter: 'M3 5h14M6 10h8m-5 5h2',
  exclude: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM5 5l10 10',
  plus: 'M10 4v12M4 10h12',
  more: 'M4 10h.01M10 10h.01M16 10h.01',
  up: 'm5 12 5-5 5 5',
  down: 'm5 8 5 5 5-5',
  left: 'm12 5-5 5 5 5',
  right: 'm8 5 5 5-5 5',
  copy: 'M7 7h10v10H7zM13 7V3H3v10h4',
  check: 'm4 10 4 4 8-9',
  refresh: 'M16 8a6.500 6.500 0 1 0 .5 4M16 3v5h-5',
  pause: 'M7 4v12M13 4v12',
  play: 'm6 4 10 6-10 6z',
  external: 'M8 4H4v12h12v-4M11 3h6v6m0-6-8 8',
  trash: 'M4 6h12M8 6V4h4v2m-6.500 0 .7 11h7.600l.7-11',
  warning: 'M10 3 2 17h16zM10 8v4m0 2.500h.01',
  table: 'M3 4h14v12H3zM3 8h14M3 12h14M8 4v12',
  download: 'M10 3v10m-4-4 4 4 4-4M3 17h14',
  sun: 'M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm0-11v2m0 12v2M2 10h2m12 0h2M4.300 4.300l1.500 1.500m8.400 8.400 1.500 1.500m0-11.400-1.500 1.500m-8.400 8.400-1.500 1.500',
} as const

export type IconName = keyof typeof PATHS

/** A decorative icon. The control around it has the name. */
export const Icon = ({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    viewBox="0 0 20 20"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    stroke-width="1.6"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
)
