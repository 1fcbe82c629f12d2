/** `trailmark/server`: events and flags of a server. */
export { createAnalytics } from './analytics'
export type {
  AliasMessage,
  DropReason,
  EventMessage,
  FetchInit,
  FetchResponse,
  FlagEvaluations,
  FlagOptions,
  FlagValue,
  GroupIdentifyMessage,
  IdentifyMessage,
  Properties,
  ReadOptions,
  ServerAnalytics,
  ServerOptions,
} from './types'
