import type { Query } from '../../api/query.ts'
import { eventName } from '../../lib/eventNames.ts'
import { cutText } from '../../lib/propertyText.ts'

const MAX_TITLE = 100

type Entity = Readonly<{ event?: string | null; id?: string | null }>

const nameOf = ({ event, id }: Entity): string => eventName(event ?? id ?? '')

const TITLES: Readonly<Record<string, (query: Query) => string>> = {
  TrendsQuery: ({ series }) => (series as readonly Entity[]).map(nameOf).join(', '),
  FunnelsQuery: ({ series }) => (series as readonly Entity[]).map(nameOf).join(' → '),
  RetentionQuery: ({ retentionFilter }) =>
    `Retention after ${nameOf((retentionFilter as { targetEntity: Entity }).targetEntity)}`,
}

/** Returns a title for an insight of the builder: the names of its events. */
export const titleOf = (query: Query): string => cutText(TITLES[query.kind]?.(query) ?? query.kind, MAX_TITLE)
