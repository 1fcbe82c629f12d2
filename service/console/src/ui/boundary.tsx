import type { ComponentChildren } from 'preact'
import { useErrorBoundary, useState } from 'preact/hooks'
import { forgetStored } from '../lib/stored.ts'

type Render = () => ComponentChildren

const Content = ({ render }: { readonly render: Render }) => <>{render()}</>

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Shows what `children` returns. If that throws, now or in an effect, shows what `instead` returns for the reason, so that
 * the rest of the page stays. It tries again when its parent renders again, for example with newer data.
 */
export const Boundary = ({
  instead,
  children,
}: {
  readonly instead: (reason: string) => ComponentChildren
  readonly children: Render
}) => {
  const [failed, setFailed] = useState<{ readonly render: Render; readonly reason: string }>()
  useErrorBoundary((error: unknown) => setFailed({ render: children, reason: reasonOf(error) }))
  return failed?.render === children ? <>{instead(failed.reason)}</> : <Content render={children} />
}

/** A way out if a draft of another release is the reason. */
export const DiscardStored = () => (
  <button
    type="button"
    class="button"
    onClick={() => {
      forgetStored()
      location.reload()
    }}
  >
    Discard drafts and settings of this browser
  </button>
)

/** A part of a page. If it cannot be drawn, the reason is shown in its place. */
export const Part = ({ children }: { readonly children: Render }) => (
  <Boundary
    instead={(reason) => (
      <div class="notice bad" role="alert">
        <p>This part of the page could not be shown: {reason}</p>
        <div class="row">
          <DiscardStored />
        </div>
      </div>
    )}
  >
    {children}
  </Boundary>
)
