/** @jest-environment jsdom */
import { type Box, moveTile, passNeighbors, resizeTile, settle } from '../src/pages/dashboards/layout.ts'
import { newTile } from '../src/lib/newTile.ts'
import { sharedOf, variableParameter, variablesOfTiles } from '../src/pages/dashboards/sharedValues.ts'
import { toRequest } from '../src/pages/dashboards/tileRequest.ts'
import { toTileData } from '../src/insights/kinds.ts'

const box = (id: string, x: number, y: number, w: number, h: number): Box => ({ id, x, y, w, h })
const at = (tiles: readonly Box[]) => Object.fromEntries(tiles.map(({ id, x, y, w, h }) => [id, [x, y, w, h]]))

describe('dashboard layout', () => {
  const tiles = [box('top', 0, 0, 12, 2), box('left', 0, 2, 6, 4), box('right', 6, 2, 6, 4)]

  test('tiles make room for one that moves onto them, and close gaps above', () => {
    expect(at(moveTile(tiles, 'right', { columns: -6 }))).toEqual({
      top: [0, 0, 12, 2],
      right: [0, 2, 6, 4],
      left: [0, 6, 6, 4],
    })
    expect(at(settle([box('a', 0, 5, 4, 1)]))).toEqual({ a: [0, 0, 4, 1] })
  })

  test('a tile stays within the columns', () => {
    expect(at(moveTile(tiles, 'left', { columns: -3 })).left).toEqual([0, 2, 6, 4])
    expect(at(resizeTile(tiles, 'right', { columns: 5, rows: -9 })).right).toEqual([6, 2, 6, 1])
    expect(at(resizeTile(tiles, 'right', { columns: -9 })).right).toEqual([6, 2, 2, 4])
  })

  test('a tile passes all neighbors of a row', () => {
    const below = passNeighbors(tiles, 'top', 1)
    expect(at(below)).toEqual({ left: [0, 0, 6, 4], right: [6, 0, 6, 4], top: [0, 4, 12, 2] })
    expect(at(passNeighbors(below, 'top', -1))).toEqual(at(tiles))
    expect(passNeighbors(tiles, 'top', -1)).toBe(tiles)
  })

  test('a new tile is placed below all others', () => {
    const choice = { title: '', display: 'line', endpoint: 'a' } as const
    const atTop = tiles.map((tile) => ({ ...tile, ...choice }))
    expect([newTile(atTop, choice).y, newTile([], choice).y]).toEqual([6, 0])
  })
})

describe('the request of a tile', () => {
  const place = { id: 'a', title: '', display: 'line' as const, x: 0, y: 0, w: 6, h: 4 }
  const shared = {
    dateRange: { date_from: '-30d' },
    filters: [{ key: '$browser', type: 'event' as const, operator: 'exact', value: ['Firefox'] }],
    variables: { plan: 'pro', other: 1 },
  }

  test('a query runs with the dates of the dashboard, and with its filters besides its own', () => {
    const query = { kind: 'TrendsQuery', dateRange: { date_from: '-7d' }, properties: [{ key: 'own' }] }
    expect(toRequest({ ...place, query }, shared, undefined)).toEqual({
      kind: 'TrendsQuery',
      query: {
        kind: 'TrendsQuery',
        dateRange: { date_from: '-30d' },
        properties: [{ key: 'own' }, shared.filters[0]],
      },
    })
  })

  test('an SQL endpoint gets only the variables that its query has', () => {
    const endpoint = {
      query: { kind: 'HogQLQuery', query: 'SELECT {variables.plan}, { variables.unset }' },
      isMaterialized: false,
      takesDates: false,
    }
    const tile = { ...place, endpoint: 'orders' }
    expect(toRequest(tile, shared, endpoint)).toEqual({
      kind: 'HogQLQuery',
      endpoint: 'orders',
      variables: { plan: 'pro' },
    })
    expect(toRequest(tile, shared, undefined)).toBeUndefined()
    expect(variablesOfTiles([tile], new Map([['orders', endpoint]]))).toEqual(['plan', 'unset'])
  })

  test('an insight endpoint gets dates, unless it is materialized without them, and values of its breakdown', () => {
    const query = { kind: 'TrendsQuery', breakdownFilter: { breakdown: '$browser' } }
    const variablesOf = (isMaterialized: boolean) => {
      const request = toRequest({ ...place, endpoint: 'daily' }, shared, { query, isMaterialized, takesDates: false })
      return request?.variables
    }
    expect(variablesOf(false)).toEqual({ date_from: '-30d', $browser: 'Firefox' })
    expect(variablesOf(true)).toEqual({ $browser: 'Firefox' })
  })

  test('values in the URL override those of the dashboard, and keep their types', () => {
    const draft = { name: '', description: '', tiles: [], variables: { date_from: '-14d', plan: 'free', size: 2 } }
    const url = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...variableParameter('plan', '7'), ...variableParameter('size', 5) }))
      if (value !== undefined) url.set(name, value)
    expect(sharedOf(url, draft)).toEqual({
      dateRange: { date_from: '-14d' },
      filters: [],
      variables: { plan: '7', size: 5 },
    })
    expect(sharedOf(new URLSearchParams('period=30d'), draft).dateRange).toEqual({ date_from: '-29d' })
  })
})

describe('the data of a tile', () => {
  test('rows of SQL become numbers, series and a table', () => {
    const data = toTileData('HogQLQuery', {
      columns: ['day', 'visitors', 'note'],
      results: [
        ['Mon', 5, 'a'],
        ['Tue', null, null],
      ],
    })
    expect(data.chart).toEqual({
      labels: ['Mon', 'Tue'],
      series: [{ label: 'visitors', values: [5, null], color: 1, isComparison: false }],
    })
    expect(data.figures?.map(({ label, value }) => [label, value])).toEqual([['visitors', 5]])
    expect(data.table.rows).toEqual([
      ['Mon', 5, 'a'],
      ['Tue', null, null],
    ])
  })

  test('a comparison in trends has the color of its series', () => {
    const series = (label: string, count: number, compare?: string) => ({
      label,
      count,
      data: [count],
      days: ['2026-11-01'],
      ...(compare ? { compare_label: compare } : {}),
    })
    const data = toTileData('TrendsQuery', {
      results: [
        series('a', 4, 'current'),
        series('b', 6, 'current'),
        series('a', 2, 'previous'),
        series('b', 3, 'previous'),
      ],
    })
    expect(data.chart?.labels).toEqual(['Nov 1'])
    expect(data.chart?.series.map(({ label, color }) => [label, color])).toEqual([
      ['a', 1],
      ['b', 2],
      ['a (before)', 1],
      ['b (before)', 2],
    ])
    expect(data.figures?.map(({ value, previous }) => [value, previous])).toEqual([
      [4, 2],
      [6, 3],
    ])
  })

  test('a funnel has the share of the first and of the previous step for each step', () => {
    const step = (name: string, count: number) => ({ name, count, median_conversion_time: 9 })
    const data = toTileData('FunnelsQuery', { results: [step('visit', 200), step('sign-up', 100), step('pay', 20)] })
    expect(data.table.rows.map((row) => row.slice(0, 4))).toEqual([
      ['visit', 200, '100%', '100%'],
      ['sign-up', 100, '50%', '50%'],
      ['pay', 20, '10%', '20%'],
    ])
    expect(data.figures?.[0]?.value).toBe(10)
  })

  test('retention leaves out intervals that are not over', () => {
    const data = toTileData('RetentionQuery', {
      results: [
        {
          date: '2026-11-16T00:00:00Z',
          values: [
            { count: 20, label: 'Day 0' },
            { count: 5, label: 'Day 1' },
            { count: 1, label: 'Day 2', incomplete: true },
          ],
        },
      ],
    })
    expect(data.table).toEqual({
      head: ['Cohort', 'Size', 'Day 1', 'Day 2'],
      rows: [['2026-11-16', 20, '25%', null]],
    })
  })

  test('an unknown or empty result is an empty table', () => {
    expect(toTileData('TrendsQuery', { results: [] }).table.rows).toEqual([])
    expect(toTileData('FutureQuery', { results: [], columns: ['a'] }).table.rows).toEqual([])
  })
})
