import { assertGuarded } from '../catalog/guard.ts'
import { createParameters, nameLiteral, numberLiteral, textLiteral } from './literal.ts'
import type {
  BoundSql,
  FromSql,
  InfixOperator,
  OrderSql,
  QuerySql,
  SelectSql,
  Sql,
  WindowSql,
} from '../catalog/physical.ts'
import { own } from '../../lib/own.ts'

const JOIN_WORDS = {
  inner: 'INNER JOIN',
  left: 'LEFT JOIN',
  right: 'RIGHT JOIN',
  full: 'FULL JOIN',
  cross: 'CROSS JOIN',
} as const

const OPERATOR_WORDS = {
  '+': '+',
  '-': '-',
  '*': '*',
  '/': '/',
  '%': '%',
  '=': '=',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  AND: 'AND',
  OR: 'OR',
} as const satisfies Record<InfixOperator, string>

const SET_WORDS: Readonly<Record<string, string>> = {
  'union all': 'UNION ALL',
  'union distinct': 'UNION DISTINCT',
  intersect: 'INTERSECT',
  'intersect distinct': 'INTERSECT DISTINCT',
  except: 'EXCEPT',
  'except distinct': 'EXCEPT DISTINCT',
}

export interface Printed {
  readonly text: string
  /** The values of the `{p0:Type}` placeholders in the text. */
  readonly params: Readonly<Record<string, unknown>>
  /** The placeholder of each parameter. */
  readonly names: ReadonlyMap<object, string>
}

/** Prints a query. */
export const print = (query: QuerySql, projectId: number): Printed => {
  const parameters = createParameters()
  const project = {}

  const list = (items: readonly Sql[]): string => items.map(sql).join(', ')

  const sql = (node: Sql): string => {
    switch (node.kind) {
      case 'text':
        return textLiteral(node.value)
      case 'number':
        return numberLiteral(node.digits)
      case 'boolean':
        return node.value ? 'true' : 'false'
      case 'null':
        return 'NULL'
      case 'parameter':
        return parameters.place(node, node.type, node.value)
      case 'project':
        return parameters.place(project, 'UInt32', projectId, 'project')
      case 'name':
        return node.path.map(nameLiteral).join('.')
      case 'subColumn':
        return `${sql(node.of)}.${node.path.map(nameLiteral).join('.')}`
      case 'subObject':
        return `${sql(node.of)}.^${node.path.map(nameLiteral).join('.')}`
      case 'call':
        return `${node.name}${node.parameters ? `(${list(node.parameters)})` : ''}(${list(node.args)})${node.over ? ` OVER (${windowText(node.over)})` : ''}`
      case 'infix':
        return `(${sql(node.first)}${node.rest.map(({ operator, right }) => ` ${OPERATOR_WORDS[operator]} ${sql(right)}`).join('')})`
      case 'in':
        return `(${sql(node.left)} ${node.isNot ? 'NOT IN' : 'IN'} ${sql(node.right)})`
      case 'lambda':
        return `(${node.names.map(nameLiteral).join(', ')}) -> ${sql(node.body)}`
      case 'query':
        return `(${queryText(node.query)})`
    }
  }

  const order = ({ by, isDescending, nulls }: OrderSql): string =>
    `${sql(by)} ${isDescending ? 'DESC' : 'ASC'}${nulls ? ` NULLS ${nulls.toUpperCase()}` : ''}`

  const bound = ({ kind, side, offset }: BoundSql): string =>
    kind === 'current' ? 'CURRENT ROW' : `${offset ? sql(offset) : 'UNBOUNDED'} ${side.toUpperCase()}`

  const windowText = ({ partitionBy, orderBy, frame }: WindowSql): string =>
    [
      partitionBy.length > 0 && `PARTITION BY ${list(partitionBy)}`,
      orderBy.length > 0 && `ORDER BY ${orderBy.map(order).join(', ')}`,
      frame &&
        `${frame.unit.toUpperCase()} ${frame.to ? `BETWEEN ${bound(frame.from)} AND ${bound(frame.to)}` : bound(frame.from)}`,
    ]
      .filter(Boolean)
      .join(' ')

  const from = (node: FromSql): string => {
    switch (node.kind) {
      case 'storage':
        return `${nameLiteral(node.database)}.${nameLiteral(node.table)}`
      case 'named':
        return `(${queryText(node.query)}) AS ${nameLiteral(node.name)}`
      case 'join':
        if (node.left.kind === 'storage' || node.right.kind === 'storage')
          throw new Error('Compiler bug: a stored table would be joined without its guard')
        return `${from(node.left)} ${JOIN_WORDS[node.join]} ${from(node.right)}${node.on ? ` ON ${sql(node.on)}` : ''}`
    }
  }

  const select = (node: SelectSql): string => {
    assertGuarded(node)
    const { arrayJoin, limitBy } = node
    const named = ({ value, name }: { value: Sql; name: string }) => `${sql(value)} AS ${nameLiteral(name)}`
    return [
      `SELECT ${node.isDistinct ? 'DISTINCT ' : ''}${node.items.map(named).join(', ')}`,
      node.from && `FROM ${from(node.from)}`,
      arrayJoin && `${arrayJoin.isLeft ? 'LEFT ' : ''}ARRAY JOIN ${arrayJoin.items.map(named).join(', ')}`,
      node.where && `WHERE ${sql(node.where)}`,
      node.groupBy?.length && `GROUP BY ${list(node.groupBy)}`,
      node.having && `HAVING ${sql(node.having)}`,
      node.orderBy?.length && `ORDER BY ${node.orderBy.map(order).join(', ')}`,
      limitBy &&
        `LIMIT ${sql(limitBy.limit)}${limitBy.offset ? ` OFFSET ${sql(limitBy.offset)}` : ''} BY ${list(limitBy.by)}`,
      node.limit && `LIMIT ${sql(node.limit)}`,
      node.offset && `OFFSET ${sql(node.offset)}`,
    ]
      .filter(Boolean)
      .join(' ')
  }

  const member = (node: QuerySql): string => `(${queryText(node)})`

  const queryText = (node: QuerySql): string =>
    node.kind === 'select'
      ? select(node)
      : [
          member(node.first),
          ...node.rest.map(({ operator, query }) => `${own(SET_WORDS, operator)} ${member(query)}`),
        ].join(' ')

  const text = queryText(query)
  return { text, params: parameters.values(), names: parameters.names() }
}
