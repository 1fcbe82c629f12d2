import type { ResponseOf } from '../../api/inProject.ts'

export const RULES_PATH = '/api/projects/{projectId}/error_tracking/fingerprint_rules'
type Rule = ResponseOf<typeof RULES_PATH, 'get'>['rules'][number]
export type GroupField = NonNullable<Rule['group_by']>[number]

/** Form state of a rule. Empty field: the rule has no such condition. */
export interface GroupingRuleDraft {
  readonly type: string
  readonly message: string
  readonly file: string
  readonly function: string
  readonly handled: '' | 'true' | 'false'
  /** Whether the exceptions are one issue with a name. Otherwise they are grouped by fields. */
  readonly isOneIssue: boolean
  readonly issue: string
  readonly groupBy: readonly GroupField[]
}

export interface GroupingDraft {
  readonly rules: readonly GroupingRuleDraft[]
}

export const NEW_GROUPING_RULE: GroupingRuleDraft = {
  type: '',
  message: '',
  file: '',
  function: '',
  handled: '',
  isOneIssue: true,
  issue: '',
  groupBy: ['type'],
}

/** Returns the form state of the rules. */
export const toGroupingDraft = (rules: readonly Rule[]): GroupingDraft => ({
  rules: rules.map(({ match, issue, group_by: groupBy }) => ({
    type: match.type ?? '',
    message: match.message ?? '',
    file: match.file ?? '',
    function: match.function ?? '',
    handled: match.handled === undefined ? '' : match.handled ? 'true' : 'false',
    isOneIssue: issue !== undefined,
    issue: issue ?? '',
    groupBy: groupBy ?? NEW_GROUPING_RULE.groupBy,
  })),
})

/** Returns the rules that the API stores for a form. */
export const toGroupingRules = ({ rules }: GroupingDraft): Rule[] =>
  rules.map(({ type, message, file, function: name, handled, isOneIssue, issue, groupBy }) => ({
    match: {
      ...(type && { type }),
      ...(message && { message }),
      ...(file && { file }),
      ...(name && { function: name }),
      ...(handled && { handled: handled === 'true' }),
    },
    ...(isOneIssue ? { issue } : { group_by: [...groupBy] }),
  }))
