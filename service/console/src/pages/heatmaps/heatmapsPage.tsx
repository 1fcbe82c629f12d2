import { periodOf, PERIODS } from '../../lib/period.ts'
import { type Shortcut, useShortcuts } from '../../lib/shortcuts.ts'
import { search, setSearch } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { choosePeriod, PeriodMenu } from '../../ui/periodMenu.tsx'
import { PageHeatmap } from './pageHeatmap.tsx'
import { PageList } from './pageList.tsx'
import styles from './heatmaps.module.css'

const SHORTCUTS: readonly Shortcut[] = PERIODS.map(({ name, label, shortcut }) => ({
  key: shortcut,
  about: label,
  run: () => choosePeriod(name),
}))

/** Heatmaps: the list of pages and, with the query parameter `url`, the map of one. */
export const HeatmapsPage = () => {
  const period = periodOf(search.value)
  const url = search.value.get('url')
  useShortcuts(SHORTCUTS)
  return (
    <div class="stack">
      <PageHead title="Heatmaps" {...(url ? { about: <span class={styles.url}>{url}</span> } : {})}>
        {url && (
          <button type="button" class="button" onClick={() => setSearch({ url: undefined })}>
            <Icon name="left" size={16} /> All pages
          </button>
        )}
        <PeriodMenu period={period} />
      </PageHead>
      {url ? <PageHeatmap url={url} period={period} /> : <PageList period={period} />}
    </div>
  )
}
