import { html } from '../server/html.mjs'

const share = (value, most) => (most > 0 ? Math.round((value / most) * 1000) / 10 : 0)

/**
 * Columns over time, from `[{ label, value, text }]`: `label` stands below (an empty one leaves room for its
 * neighbours), `text` above the highest and for whoever points at one. The drawing itself is not read aloud: the same
 * numbers have to stand in words beside it.
 */
export const columnChart = (points) => {
  const most = Math.max(0, ...points.map(({ value }) => value))
  const highest = most > 0 ? points.findIndex(({ value }) => value === most) : -1
  return html` <ol class="columns ${points.length > 16 && 'dense'}" aria-hidden="true">
    ${points.map(
      ({ label, value, text }, index) =>
        html` <li title="${text}">
          <span class="column-text">${index === highest && text}</span>
          <svg viewBox="0 0 10 100" preserveAspectRatio="none">
            <rect class="bar" y="${100 - share(value, most)}" width="10" height="${share(value, most)}" />
          </svg>
          <span class="column-label">${label}</span>
        </li>`,
    )}
  </ol>`
}

/** A bar inside a table's cell, as long as `value` is of `most`. */
export const cellBar = (value, most) =>
  html`<svg class="cell-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-ground" width="100" height="10" />
    <rect class="bar" width="${share(value, most)}" height="10" />
  </svg>`
