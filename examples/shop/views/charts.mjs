import { html } from '../server/html.mjs'

const share = (value, most) => (most > 0 ? Math.round((value / most) * 1000) / 10 : 0)

/**
 * A column chart over time, from `[{ label, value, text }]`: `label` is shown below (an empty one leaves room for its
 * neighbors), `text` above the highest column and on hover. Screen readers skip the drawing: show the same numbers in
 * words next to it.
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

/** A bar in a table cell, with the length of `value` relative to `most`. */
export const cellBar = (value, most) =>
  html`<svg class="cell-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-ground" width="100" height="10" />
    <rect class="bar" width="${share(value, most)}" height="10" />
  </svg>`
