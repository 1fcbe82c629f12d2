import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { FILTERS } from '../flags/filters.ts'

const CLOSED = { additionalProperties: false } as const

const oneOf = <const Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values] })
const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)
/** Makes a field optional and nullable. One schema instead of a union, so that an invalid value has one error. */
const orNull = <Value>(schema: { readonly type: string; readonly [name: string]: unknown }) =>
  Type.Optional(
    Type.Unsafe<Value | null>({
      ...schema,
      type: [schema.type, 'null'],
      ...(Array.isArray(schema.enum) ? { enum: [...(schema.enum as unknown[]), null] } : {}),
    }),
  )

const text = (maxLength: number) => Type.String({ maxLength })
const LABEL = text(400)
const BODY = text(10_000)

export const SURVEY_TYPES = ['popover', 'widget', 'api', 'external_survey'] as const
export const QUESTION_TYPES = ['open', 'multiple_choice', 'single_choice', 'rating', 'link'] as const
export const SCHEDULES = ['once', 'recurring', 'always'] as const
const CONTENT_TYPES = ['html', 'text'] as const
const MATCH_TYPES = ['regex', 'not_regex', 'exact', 'is_not', 'icontains', 'not_icontains'] as const
const DEVICE_TYPES = ['Desktop', 'Mobile', 'Tablet', 'Console', 'Wearable'] as const
const POSITIONS = [
  'top_left',
  'top_center',
  'top_right',
  'middle_left',
  'middle_center',
  'middle_right',
  'left',
  'center',
  'right',
  'next_to_trigger',
] as const

/** What follows a question. `responseValues`: by bucket or choice index, the index of a question or 'end'. */
const BRANCHING = Type.Object(
  {
    type: oneOf(['next_question', 'end', 'specific_question', 'response_based']),
    index: maybe(Type.Integer()),
    responseValues: maybe(Type.Record(Type.String(), Type.Union([Type.Integer(), Type.String()]))),
  },
  CLOSED,
)

const QUESTION_TRANSLATION = Type.Object(
  {
    question: maybe(BODY),
    description: orNull<string>(BODY),
    buttonText: orNull<string>(LABEL),
    choices: maybe(Type.Array(text(1_000))),
    lowerBoundLabel: orNull<string>(LABEL),
    upperBoundLabel: orNull<string>(LABEL),
    link: orNull<string>(text(2_048)),
  },
  CLOSED,
)

/** A question. Which fields it may have depends on its type, see `checkQuestions.ts`. */
export const QUESTION = Type.Object(
  {
    id: maybe(Type.String()),
    type: oneOf(QUESTION_TYPES),
    question: BODY,
    description: orNull<string>(BODY),
    descriptionContentType: orNull<(typeof CONTENT_TYPES)[number]>(oneOf(CONTENT_TYPES) as never),
    optional: maybe(Type.Boolean()),
    buttonText: orNull<string>(LABEL),
    branching: orNull<Static<typeof BRANCHING>>(BRANCHING as never),
    validation: maybe(
      Type.Array(
        Type.Object(
          {
            type: oneOf(['min_length', 'max_length']),
            value: Type.Integer({ minimum: 1 }),
            errorMessage: maybe(LABEL),
          },
          CLOSED,
        ),
        { maxItems: 2 },
      ),
    ),
    translations: maybe(Type.Record(Type.String(), QUESTION_TRANSLATION)),
    display: orNull<'number' | 'emoji'>(oneOf(['number', 'emoji']) as never),
    scale: orNull<number>({ type: 'integer' }),
    lowerBoundLabel: orNull<string>(LABEL),
    upperBoundLabel: orNull<string>(LABEL),
    isNpsQuestion: maybe(Type.Boolean()),
    skipSubmitButton: maybe(Type.Boolean()),
    choices: maybe(Type.Array(text(1_000))),
    hasOpenChoice: maybe(Type.Boolean()),
    shuffleOptions: maybe(Type.Boolean()),
    link: orNull<string>(text(2_048)),
  },
  CLOSED,
)

const EVENT = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    propertyFilters: maybe(
      Type.Record(
        Type.String(),
        Type.Object(
          {
            values: Type.Array(text(1_000), { maxItems: 100 }),
            operator: oneOf([...MATCH_TYPES, 'gt', 'lt']),
          },
          CLOSED,
        ),
      ),
    ),
  },
  CLOSED,
)
const EVENTS = Type.Array(EVENT, { maxItems: 50 })

const ACTION_STEP = Type.Object({
  event: orNull<string>(text(200)),
  selector: orNull<string>(text(1_000)),
  /** A pattern of the chain of elements, in place of a selector. */
  selector_regex: orNull<string>(text(1_000)),
  text: orNull<string>(text(1_000)),
  url: orNull<string>(text(2_048)),
  url_matching: orNull<string>(text(20)),
})

/** When the survey shows. */
export const CONDITIONS = Type.Object(
  {
    url: orNull<string>(text(2_048)),
    urlMatchType: orNull<(typeof MATCH_TYPES)[number]>(oneOf(MATCH_TYPES) as never),
    selector: orNull<string>(text(1_000)),
    seenSurveyWaitPeriodInDays: orNull<number>({ type: 'integer', minimum: 0, maximum: 3_650 }),
    deviceTypes: maybe(Type.Array(oneOf(DEVICE_TYPES))),
    deviceTypesMatchType: orNull<(typeof MATCH_TYPES)[number]>(oneOf(MATCH_TYPES) as never),
    linkedFlagVariant: orNull<string>(LABEL),
    events: orNull<{ values: Static<typeof EVENTS>; repeatedActivation?: boolean }>(
      Type.Object({ values: EVENTS, repeatedActivation: maybe(Type.Boolean()) }, CLOSED) as never,
    ),
    cancelEvents: orNull<{ values: Static<typeof EVENTS> }>(Type.Object({ values: EVENTS }, CLOSED) as never),
    actions: orNull<{ values: { id: number | string; name: string; steps?: Static<typeof ACTION_STEP>[] }[] }>(
      Type.Object(
        {
          values: Type.Array(
            Type.Object({
              id: Type.Unsafe<number | string>({ type: ['integer', 'string'] }),
              name: LABEL,
              steps: maybe(Type.Array(ACTION_STEP, { maxItems: 20 })),
            }),
            { maxItems: 20 },
          ),
        },
        CLOSED,
      ) as never,
    ),
  },
  CLOSED,
)

/** Fields of the appearance that are colors. They become CSS in the pages of visitors. */
export const COLOR_FIELDS = [
  'backgroundColor',
  'submitButtonColor',
  'submitButtonTextColor',
  'textColor',
  'textSubtleColor',
  'inputBackground',
  'inputTextColor',
  'borderColor',
  'ratingButtonColor',
  'ratingButtonActiveColor',
  'ratingButtonHoverColor',
  'widgetColor',
] as const

/** Fields of the appearance that are other values of CSS. */
export const CSS_FIELDS = [
  'fontFamily',
  'maxWidth',
  'boxPadding',
  'boxShadow',
  'borderRadius',
  'disabledButtonOpacity',
  'zIndex',
] as const

const STRINGS = [
  'placeholder',
  'submitButtonText',
  'backButtonText',
  'introScreenHeader',
  'introScreenButtonText',
  'thankYouMessageHeader',
  'thankYouMessageCloseButtonText',
  'widgetLabel',
] as const
const BODIES = ['introScreenDescription', 'thankYouMessageDescription'] as const
const BOOLEANS = [
  'whiteLabel',
  'autoDisappear',
  'displayIntroScreen',
  'displayThankYouMessage',
  'shuffleQuestions',
  'hideCancelButton',
  'disableAutofocus',
  'allowGoBack',
] as const

const fields = <Name extends string, Schema extends TSchema>(names: readonly Name[], schema: Schema) =>
  Object.fromEntries(names.map((name) => [name, schema])) as { readonly [key in Name]: Schema }

export const APPEARANCE = Type.Object(
  {
    ...fields(COLOR_FIELDS, orNull<string>(text(100))),
    ...fields(CSS_FIELDS, orNull<string>(text(200))),
    ...fields(STRINGS, orNull<string>(LABEL)),
    ...fields(BODIES, orNull<string>(BODY)),
    ...fields(BOOLEANS, orNull<boolean>({ type: 'boolean' })),
    introScreenDescriptionContentType: orNull<(typeof CONTENT_TYPES)[number]>(oneOf(CONTENT_TYPES) as never),
    thankYouMessageDescriptionContentType: orNull<(typeof CONTENT_TYPES)[number]>(oneOf(CONTENT_TYPES) as never),
    position: orNull<(typeof POSITIONS)[number]>(oneOf(POSITIONS) as never),
    surveyPopupDelaySeconds: orNull<number>({ type: 'number', minimum: 0, maximum: 86_400 }),
    widgetType: orNull<'button' | 'tab' | 'selector'>(oneOf(['button', 'tab', 'selector']) as never),
    widgetSelector: orNull<string>(text(1_000)),
    tabPosition: orNull<'top' | 'left' | 'right' | 'bottom'>(oneOf(['top', 'left', 'right', 'bottom']) as never),
  },
  CLOSED,
)

const TRANSLATION = Type.Object(
  {
    name: maybe(Type.String({ maxLength: 400 })),
    ...fields([...STRINGS, ...BODIES], orNull<string>(BODY)),
  },
  CLOSED,
)

const DEFINITION = {
  description: maybe(BODY),
  type: oneOf(SURVEY_TYPES),
  questions: Type.Array(QUESTION),
  appearance: orNull<Static<typeof APPEARANCE>>(APPEARANCE),
  conditions: orNull<Static<typeof CONDITIONS>>(CONDITIONS),
  schedule: maybe(oneOf(SCHEDULES)),
  /** Number of times a recurring survey is shown, and the days between them. */
  iteration_count: orNull<number>({ type: 'integer', minimum: 1, maximum: 500 }),
  iteration_frequency_days: orNull<number>({ type: 'integer', minimum: 1, maximum: 3_650 }),
  enable_partial_responses: maybe(Type.Boolean()),
  /** Whether pages of other sites may have the hosted survey in a frame. */
  enable_iframe_embedding: maybe(Type.Boolean()),
  /** The survey ends when it has this many completed submissions. */
  responses_limit: orNull<number>({ type: 'integer', minimum: 1, maximum: 1_000_000 }),
  /** The survey shows only where this flag is on. */
  linked_flag_key: orNull<string>(LABEL),
  /** Other flags that must be on. `key`: a name for people. `value`: the key of the flag. */
  feature_flag_keys: orNull<{ key: string; value?: string }[]>(
    Type.Array(Type.Object({ key: LABEL, value: maybe(LABEL) }, CLOSED), { maxItems: 20 }),
  ),
  /** Conditions on people, as a flag has them. */
  targeting_flag_filters: orNull<Static<typeof FILTERS>>(FILTERS),
  translations: orNull<Record<string, Static<typeof TRANSLATION>>>(Type.Record(Type.String(), TRANSLATION)),
}

const DATE = { type: 'string', format: 'date-time' } as const
const DATES = { start_date: orNull<string>(DATE), end_date: orNull<string>(DATE) }
const NAME = Type.String({ minLength: 1, maxLength: 400 })

/** A survey as the API accepts it. */
export const SURVEY_INPUT = Type.Object({ name: NAME, ...DEFINITION, ...DATES }, CLOSED)
/** Fields of an update. */
export const SURVEY_CHANGES = Type.Partial(SURVEY_INPUT, CLOSED)

export const SURVEY_STATES = ['draft', 'scheduled', 'running', 'stopped'] as const

/** A survey as the API returns it. */
export const SURVEY_VIEW = Type.Object({
  id: Type.String(),
  name: NAME,
  ...DEFINITION,
  ...DATES,
  state: oneOf(SURVEY_STATES),
  current_iteration: orNull<number>({ type: 'integer' }),
  current_iteration_start_date: orNull<string>(DATE),
  internal_targeting_flag_key: orNull<string>(LABEL),
  targeting_flag_key: orNull<string>(LABEL),
  created_at: Type.String(DATE),
  updated_at: Type.String(DATE),
})

export type SurveyInput = Static<typeof SURVEY_INPUT>
export type SurveyChanges = Static<typeof SURVEY_CHANGES>
export type SurveyView = Static<typeof SURVEY_VIEW>
export type SurveyState = (typeof SURVEY_STATES)[number]
export type Question = Static<typeof QUESTION>
export type Appearance = Static<typeof APPEARANCE>
export type Conditions = Static<typeof CONDITIONS>
/** What is stored of a survey besides its name and dates. Each question has an id. */
export type Definition = Omit<SurveyInput, 'name' | 'start_date' | 'end_date' | 'questions'> & {
  readonly questions: readonly (Question & { readonly id: string })[]
}
