import { ERRORS, toErrorResponse } from '../../src/http/errors.ts'
import { ApiError } from '../../src/lib/apiError.ts'

test('the details of an API error override the defaults of its code', () => {
  expect(toErrorResponse(new ApiError('not_found', { detail: 'No such shop.', attr: 'shop' }), 'r').body).toEqual({
    type: 'invalid_request',
    code: 'not_found',
    detail: 'No such shop.',
    attr: 'shop',
    request_id: 'r',
  })
})

test('an API error without details uses the defaults of its code', () => {
  expect(toErrorResponse(new ApiError('invalid_json'), 'r')).toMatchObject({
    status: 400,
    body: { code: 'invalid_json', detail: ERRORS.invalid_json.message, attr: null },
  })
})

test('the three error messages of the specification are used verbatim', () => {
  expect(
    [ERRORS.undefined_variables, ERRORS.malformed_variable_ids, ERRORS.unknown_variable_ids].map(
      ({ status, message }) => [status, message],
    ),
  ).toEqual([
    [400, 'Query references undefined variable(s)'],
    [400, 'Variable ID(s) not valid UUIDs'],
    [400, 'Variable ID(s) not found'],
  ])
})
