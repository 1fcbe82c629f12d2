import type { Signatures } from './signatures.ts'

/** Functions on JSON in a string. Read properties as `properties.name` instead. */
export const JSON_FUNCTIONS: Signatures = {
  JSONExtractString: 'text key... -> text',
  JSONExtractInt: 'text key... -> number',
  JSONExtractUInt: 'text key... -> number',
  JSONExtractFloat: 'text key... -> number',
  JSONExtractBool: 'text key... -> boolean',
  JSONExtractRaw: 'text key... -> text',
  JSONExtractArrayRaw: 'json key... -> array',
  JSONExtractKeysAndValuesRaw: 'json key... -> array',
  JSONExtractKeys: 'json key... -> array',
  JSONExtract: 'json key... -> unknown',
  JSONHas: 'text key... -> boolean',
  JSONLength: 'text key... -> number',
  JSONType: 'text key... -> text',
  isValidJSON: 'text -> boolean',
  toJSONString: 'any -> text',
  JSON_VALUE: 'text text -> text',
  JSON_QUERY: 'text text -> text',
  JSON_EXISTS: 'text text -> boolean',
  simpleJSONExtractString: 'text text -> text',
  simpleJSONExtractInt: 'text text -> number',
  simpleJSONHas: 'text text -> boolean',
}
