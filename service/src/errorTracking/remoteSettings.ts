import { Type } from '@sinclair/typebox'
import { ON, ON_OR_OPTIONS, type RemoteSettings } from '../flags/remoteSetting.ts'

const OPERATORS = ['exact', 'is_not', 'icontains', 'not_icontains', 'regex', 'not_regex'] as const
const COMPARISON = Type.Object(
  {
    key: Type.Union([Type.Literal('$exception_types'), Type.Literal('$exception_values')]),
    operator: Type.Union(OPERATORS.map((operator) => Type.Literal(operator))),
    value: Type.Union([
      Type.String({ maxLength: 1_000 }),
      Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 50 }),
    ]),
  },
  { additionalProperties: false },
)
/** Which exceptions browsers drop. */
const ERROR_TRACKING = Type.Object(
  {
    suppressionRules: Type.Optional(
      Type.Array(
        Type.Object(
          {
            type: Type.Union([Type.Literal('AND'), Type.Literal('OR')]),
            values: Type.Array(COMPARISON, { minItems: 1, maxItems: 20 }),
          },
          { additionalProperties: false },
        ),
        { maxItems: 100 },
      ),
    ),
    captureExtensionExceptions: Type.Optional(ON),
  },
  { additionalProperties: false },
)

export const EXCEPTION_SETTINGS: RemoteSettings = {
  autocaptureExceptions: { schema: ON_OR_OPTIONS, byDefault: false },
  errorTracking: { schema: ERROR_TRACKING, byDefault: {} },
}
