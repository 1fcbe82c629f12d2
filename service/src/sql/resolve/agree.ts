import type { Question } from '../catalog/constant.ts'
import type { Kind } from '../catalog/kinds.ts'
import { call } from '../catalog/physical.ts'
import type { Value } from '../catalog/value.ts'
import type { Span } from '../parse/queryError.ts'
import { type Conversions, isTextual } from './coerce.ts'

const isSmallInteger: Question<boolean> = (of) => /^\d{1,4}$/.test(String(of))
const isTime = ({ kind }: Value): boolean => kind === 'time' || kind === 'date'

/** Returns the kind that values of a definite kind agree on. Constant strings adapt to the other values. */
export const agreedKind = (values: readonly Value[]): Kind => {
  const firm = values.filter(
    (each) => each.kind !== 'property' && each.kind !== 'null' && !(each.kind === 'text' && each.constant),
  )
  const kinds = firm.map((each) => each.kind)
  if (firm.some(isTime)) return 'time'
  if (kinds.includes('uuid') && kinds.every((kind) => kind === 'uuid' || kind === 'text')) return 'uuid'
  return (
    (['number', 'boolean'] as const).find((kind) => kinds.includes(kind) && kinds.every((other) => other === kind)) ??
    'text'
  )
}

// The engine has no common type for Float64, Int64 and UInt64. It would make a Variant of them, which few of its functions accept.
// Small integer literals fit each of them.
const sameWidth = (values: readonly Value[]): readonly Value[] => {
  const numbers = values.filter(
    (each) => each.kind === 'number' && (each.width !== undefined || !each.constant?.ask(isSmallInteger)),
  )
  const [first] = numbers
  const isSame =
    numbers.length <= 1 || (first!.width !== undefined && numbers.every((each) => each.width === first!.width))
  if (isSame || values.some((each) => each.kind !== 'number' && each.kind !== 'null')) return values
  return values.map((each) =>
    each.kind === 'number' ? { ...each, width: 'float', read: () => call('toFloat64', each.read()) } : each,
  )
}

/** Reads the branches of a choice, or the members of an array, as one kind. */
export const createAgreement = ({ coerce }: Conversions) => {
  const sameKind = (values: readonly Value[], spans: readonly Span[]): readonly Value[] => {
    if (values.every((each) => !isTextual(each) && each.kind !== 'json')) return values
    const kind = agreedKind(values)
    return values.map((each, at) =>
      each.kind === 'property' || each.kind === 'json' || kind === 'time' ? coerce(each, kind, spans[at]!) : each,
    )
  }

  return (values: readonly Value[], spans: readonly Span[]): readonly Value[] => sameWidth(sameKind(values, spans))
}
