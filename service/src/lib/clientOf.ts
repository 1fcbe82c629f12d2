/**
 * Returns the client that limits count for: an IPv4 address, or an IPv6 /64 network, because an IPv6 customer has one and may use
 * all of its IPs.
 */
export const clientOf = (ip: string): string => {
  if (!ip.includes(':') || ip.includes('.')) return ip
  const [head = [], tail = []] = ip.split('::').map((part) => part.split(':').filter(Boolean))
  // `::` stands for zeros.
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}
