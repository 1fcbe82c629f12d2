import { h } from 'preact'

const PATHS = {
  move: 'M8 2v12M2 8h12M8 2L6.5 3.5M8 2l1.5 1.5M8 14l-1.5-1.5M8 14l1.5-1.5M2 8l1.5-1.5M2 8l1.5 1.5M14 8l-1.5-1.5M14 8l-1.5 1.5',
  inspect: 'M13 7V3H3v10h4M8 8l6 2.2-2.6 1.2L10.2 14z',
  events: 'M3 4h10M3 8h10M3 12h6',
  flags: 'M4 14V2.5M4 3h8.5l-2 2.75 2 2.75H4',
  heatmap: 'M8 14c2.8 0 4.5-1.9 4.5-4.3C12.5 6.5 9 5.5 8.5 2 6 3.5 3.5 6.5 3.5 9.7 3.5 12.1 5.2 14 8 14z',
  vitals: 'M2 8.5h3L6.5 4l3 8L11 8.5h3',
  configuration: 'M3 4.5h6M12 4.5h1M3 11.5h1M7 11.5h6M10.5 3v3M5.5 10v3',
  close: 'M4 4l8 8M12 4l-8 8',
}

export type IconName = keyof typeof PATHS

/** A decorative icon of a button that has a name. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path
      d={PATHS[name]}
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
)
