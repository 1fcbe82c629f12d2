import { formatShare, formatWhole } from '../../lib/format.ts'
import { Card } from '../../ui/pageHead.tsx'
import type { HeatmapScroll } from './heatmap.ts'
import styles from './heatmaps.module.css'

const STEP = 10

/** Number of views that reached each share of the page. */
export const ScrollDepth = ({ scroll }: { readonly scroll: HeatmapScroll }) => (
  <Card title="Scroll depth">
    {scroll.views === 0 ? (
      <p class="muted">No scroll depth was captured in this period.</p>
    ) : (
      <>
        <table class={styles.depths}>
          <caption class="visually-hidden">
            Share of {formatWhole(scroll.views)} views by how far they saw the page
          </caption>
          <thead class="visually-hidden">
            <tr>
              <th scope="col">Share of the page</th>
              <th scope="col">Views</th>
            </tr>
          </thead>
          <tbody>
            {scroll.depths
              .filter(({ percent }) => percent > 0 && percent % STEP === 0)
              .map(({ percent, views }) => (
                <tr key={percent}>
                  <th scope="row">{formatShare(percent / 100)}</th>
                  <td title={`${formatWhole(views)} views`}>
                    <div class="share-bar" style={{ width: `${(views / scroll.views) * 100}%` }} />
                    <span>{formatShare(views / scroll.views)}</span>
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
        <p class="small muted">
          {formatWhole(scroll.views)} views. The typical window shows {formatShare(scroll.fold)} of the page without
          scrolling.
        </p>
      </>
    )}
  </Card>
)
