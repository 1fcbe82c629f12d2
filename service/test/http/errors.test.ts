import { ERRORS, toErrorResponse } from '../../src/http/errors.ts'
import { ApiError } from '../../src/lib/apiError.ts'

test("a refusal's own words win over the row's", () => {
  expect(toErrorResponse(new ApiError('not_found', { detail: 'No such shop.', attr: 'shop' }), 'r').body).toEqual({
    type: 'invalid_request',
    code: 'not_found',
    detail: 'No such shop.',
    attr: 'shop',
    request_id: 'r',
  })
})

test('without words of its own it has those of its row', () => {
  expect(toErrorResponse(new ApiError('invalid_json'), 'r')).toMatchObject({
    status: 400,
    body: { code: 'invalid_json', detail: ERRORS.invalid_json.message, attr: null },
  })
})

test('the rows of the three messages of the specification hold them to the letter', () => {
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
