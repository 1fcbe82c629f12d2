export { createProxy, type Proxy, type ProxyInfo, type ProxyOptions } from './createProxy'
export { type H3Event, type NodeRequest, type NodeResponse, toH3, toNode } from './adapters'
