import type { Dashboard, Display } from '../../api/dashboards.ts'

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
