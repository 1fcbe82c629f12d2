import type { ResponseOf } from '../../api/inProject.ts'

/** A dashboard as the API returns it. */
export type Dashboard = ResponseOf<'/api/projects/{projectId}/dashboards', 'get'>['results'][number]
export type Tile = Dashboard['tiles'][number]
export type Display = Tile['display']

/** The editable fields of a dashboard. */
export type DashboardDraft = Pick<Dashboard, 'name' | 'description' | 'variables' | 'tiles'>

export const DISPLAYS: Readonly<Record<Display, string>> = {
  number: 'Number',
  line: 'Line',
  bar: 'Bars',
  table: 'Table',
  funnel: 'Funnel',
  retention: 'Retention',
}

export const toDraft = ({ name, description, variables, tiles }: Dashboard): DashboardDraft => ({
  name,
  description,
  variables,
  tiles,
})
