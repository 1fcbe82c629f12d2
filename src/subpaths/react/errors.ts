import { Component, type ContextType, type ErrorInfo, type ReactNode } from 'react'
import type { Analytics, Properties } from 'trailmark'
import { Context, contextOr } from './context'

const reported = new WeakSet<object>()

/** Captures an error once: a boundary and the root's handler receive the same one. */
const report = (client: Analytics, error: unknown, { componentStack }: ErrorInfo, properties?: Properties): void => {
  if (error && typeof error === 'object') {
    if (reported.has(error)) return
    reported.add(error)
  }
  client.captureException(error, { $exception_component_stack: componentStack ?? undefined, ...properties })
}

export interface TrailmarkErrorBoundaryProps {
  /** Shown instead of the children after an error. A function receives the error, and a function that shows the children again. */
  fallback?: ReactNode | ((failure: { error: unknown; reset: () => void }) => ReactNode)
  /** Properties of the exception. */
  additionalProperties?: Properties | ((error: unknown) => Properties)
  children?: ReactNode
}

/** Captures errors of rendering below it, and shows a fallback. */
export class TrailmarkErrorBoundary extends Component<TrailmarkErrorBoundaryProps, { failure?: { error: unknown } }> {
  static override contextType = Context
  declare context: ContextType<typeof Context>
  override state: { failure?: { error: unknown } } = {}

  static getDerivedStateFromError(error: unknown): { failure: { error: unknown } } {
    return { failure: { error } }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    const { additionalProperties: more } = this.props
    const { client } = contextOr(this.context, '<TrailmarkErrorBoundary>')
    report(client, error, info, typeof more === 'function' ? more(error) : more)
  }

  override render(): ReactNode {
    const { failure } = this.state
    const { children, fallback } = this.props
    if (!failure) return children
    if (typeof fallback !== 'function') return fallback
    return fallback({ error: failure.error, reset: () => this.setState({ failure: undefined }) })
  }
}

/**
 * Returns a handler for `onUncaughtError`, `onCaughtError` and `onRecoverableError` of `createRoot` and `hydrateRoot` of
 * React 19. React does not log errors that have a handler, so this one does, unless there is a callback.
 */
export const setupReactErrorHandler =
  (client: Analytics, callback: (error: unknown, info: ErrorInfo) => void = (error) => console.error(error)) =>
  (error: unknown, info: ErrorInfo): void => {
    report(client, error, info)
    callback(error, info)
  }
