import type { RemoteConfig } from './useRemoteConfig.ts'

type Rule = NonNullable<RemoteConfig['errorTracking']['suppressionRules']>[number]
export type Comparison = Rule['values'][number]

/** Form state of a rule. */
export interface RuleDraft {
  readonly type: Rule['type']
  readonly values: readonly (Omit<Comparison, 'value'> & { readonly value: string })[]
}

/** Form state of the exception settings. */
export interface ExceptionDraft {
  readonly isOn: boolean
  readonly errors: boolean
  readonly rejections: boolean
  readonly consoleErrors: boolean
  readonly extensions: boolean
  readonly rules: readonly RuleDraft[]
}

export const NEW_COMPARISON: RuleDraft['values'][number] = {
  key: '$exception_values',
  operator: 'icontains',
  value: '',
}
export const NEW_RULE: RuleDraft = { type: 'AND', values: [NEW_COMPARISON] }

/** Returns the form state of the settings. A comparison with a list of values has a value per line. */
export const toDraft = ({ autocaptureExceptions: autocapture, errorTracking }: RemoteConfig): ExceptionDraft => {
  const kinds = typeof autocapture === 'object' ? autocapture : {}
  return {
    isOn: autocapture !== false,
    errors: kinds.capture_unhandled_errors !== false,
    rejections: kinds.capture_unhandled_rejections !== false,
    consoleErrors: kinds.capture_console_errors === true,
    extensions: errorTracking.captureExtensionExceptions ?? false,
    rules: (errorTracking.suppressionRules ?? []).map(({ type, values }) => ({
      type,
      values: values.map((each) => ({ ...each, value: [each.value].flat().join('\n') })),
    })),
  }
}

const toValue = (text: string): string | string[] => {
  const values = text.split('\n').filter((line) => line.trim())
  return values.length > 1 ? values : (values[0] ?? '')
}

/** Returns what the API stores for a form. */
export const toConfig = (draft: ExceptionDraft): Pick<RemoteConfig, 'autocaptureExceptions' | 'errorTracking'> => ({
  autocaptureExceptions: draft.isOn && {
    capture_unhandled_errors: draft.errors,
    capture_unhandled_rejections: draft.rejections,
    capture_console_errors: draft.consoleErrors,
  },
  errorTracking: {
    captureExtensionExceptions: draft.extensions,
    suppressionRules: draft.rules.map(({ type, values }) => ({
      type,
      values: values.map((each) => ({ ...each, value: toValue(each.value) })),
    })),
  },
})
