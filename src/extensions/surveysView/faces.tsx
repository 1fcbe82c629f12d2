import { h } from 'preact'

/** A face: `mood` from -1 (very sad) to 1 (very happy). */
export const Face = ({ mood }: { mood: number }) => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="10" fill="none" stroke="currentColor" stroke-width="1.5" />
    <circle cx="8.5" cy="9.5" r="1.3" />
    <circle cx="15.5" cy="9.5" r="1.3" />
    <path
      d={`M7.5 ${15.5 - mood} Q12 ${15.5 + 4 * mood} 16.5 ${15.5 - mood}`}
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
    />
  </svg>
)

/** A thumb-up or thumb-down icon. */
export const Thumb = ({ isUp }: { isUp: boolean }) => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path
      transform={isUp ? undefined : 'rotate(180 12 12)'}
      d="M3 10h4v11H3zM9 21h8.5a2 2 0 0 0 2-1.6l1.4-7A2 2 0 0 0 19 10h-5l1-5a1.8 1.8 0 0 0-3.2-1.4L9 9z"
    />
  </svg>
)
