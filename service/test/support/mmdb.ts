import { isIPv4 } from 'node:net'

type Value = string | number | readonly Value[] | { readonly [key: string]: Value }

const control = (type: number, size: number): Buffer => {
  const extended = type > 7 ? [type - 7] : []
  const first = (type > 7 ? 0 : type) << 5
  return Buffer.from(size < 29 ? [first | size, ...extended] : [first | 29, ...extended, size - 29])
}

const encode = (value: Value): Buffer => {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(6, 4), bytes])
  }
  if (Array.isArray(value))
    return Buffer.concat([control(11, value.length), ...(value as readonly Value[]).map(encode)])
  const entries = Object.entries(value as Record<string, Value>)
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([key, each]) => [encode(key), encode(each)])])
}

/** Returns the bits of a network in a tree of IPv6 addresses. IPv4 is at its begin. */
const bitsOf = (network: string): string => {
  const [address, length] = network.split('/') as [string, string]
  if (isIPv4(address))
    return `${'0'.repeat(96)}${address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('')
      .slice(0, Number(length))}`
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => (text ? text.split(':') : [])
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0')
  return [...groups(head), ...zeros, ...groups(tail)]
    .map((group) => parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('')
    .slice(0, Number(length))
}

type Node = [left: number | string | undefined, right: number | string | undefined]

/** Returns a database of networks in the format mmdb. */
export const toMmdb = (networks: Readonly<Record<string, Value>>): Buffer => {
  const nodes: Node[] = [[undefined, undefined]]
  for (const network of Object.keys(networks)) {
    const bits = [...bitsOf(network)].map(Number) as (0 | 1)[]
    let at = 0
    for (const bit of bits.slice(0, -1)) {
      const next = nodes[at]![bit]
      if (typeof next === 'number') at = next
      else at = nodes[at]![bit] = nodes.push([undefined, undefined]) - 1
    }
    nodes[at]![bits.at(-1)!] = network
  }
  const offsets = new Map<string, number>()
  const data: Buffer[] = []
  let bytes = 0
  for (const [network, value] of Object.entries(networks)) {
    offsets.set(network, bytes)
    data.push(encode(value))
    bytes += data.at(-1)!.length
  }
  const record = (to: number | string | undefined): number =>
    to === undefined ? nodes.length : typeof to === 'number' ? to : nodes.length + 16 + offsets.get(to)!
  const tree = Buffer.concat(
    nodes.flatMap((node) =>
      node.map((to) => {
        const three = Buffer.alloc(3)
        three.writeUIntBE(record(to), 0, 3)
        return three
      }),
    ),
  )
  const metadata = encode({
    node_count: nodes.length,
    record_size: 24,
    ip_version: 6,
    database_type: 'test',
    languages: ['en'],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_767_225_600,
    description: { en: 'test' },
  })
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...data,
    Buffer.from('abcdef', 'hex'),
    Buffer.from('MaxMind.com'),
    metadata,
  ])
}
