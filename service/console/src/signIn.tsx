import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from './api/client.ts'
import type { Failure } from './api/failure.ts'
import { hasExpired, renewals } from './api/session.ts'
import { forgetLoaded } from './lib/useLoad.ts'
import { useMutation } from './lib/useMutation.ts'
import { Dialog } from './ui/dialog.tsx'
import { Field } from './ui/field.tsx'

const takeToken = (): string | undefined => {
  const token = new URLSearchParams(location.hash.slice(1)).get('t') ?? undefined
  // Keeps the token out of the history and of URLs that a person copies.
  if (token) history.replaceState(null, '', location.pathname + location.search)
  return token
}

/** Token of the one-time link that opened this page, until it has been used. */
export const tokenOfLink = signal(takeToken())

/** Whether a one-time link opened this page. */
export const IS_FROM_LINK = tokenOfLink.value !== undefined

type Credentials = { readonly token: string } | { readonly key: string }

const startSession = (credentials: Credentials) => dataOf(api.POST('/api/console/session', { body: credentials }))

/** Ends the session and shows the sign-in page. */
export const signOut = async (): Promise<void> => {
  await dataOf(api.DELETE('/api/console/session'))
  forgetLoaded()
  location.reload()
}

const KeyForm = ({
  onSignedIn,
  problem,
}: {
  readonly onSignedIn: () => void
  readonly problem?: Failure | undefined
}) => {
  const [key, setKey] = useState('')
  const { run, isRunning, error } = useMutation(startSession)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await run({ key: key.trim() })) onSignedIn()
  }
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <Field label="Personal API key" error={(error ?? problem)?.message}>
        {(attributes) => (
          <input
            {...attributes}
            class="input mono"
            type="password"
            autocomplete="current-password"
            required
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="button primary" disabled={isRunning}>
        {isRunning ? 'Signing in …' : 'Sign in'}
      </button>
    </form>
  )
}

/** The page of a visitor without a session. A one-time link signs in at once. `isBusy`: what the link has done is being checked. */
export const SignIn = ({ isBusy, onSignedIn }: { readonly isBusy: boolean; readonly onSignedIn: () => void }) => {
  const { run, isRunning, error } = useMutation(startSession)
  useEffect(() => {
    document.title = 'Sign in · Trailmark'
    const token = tokenOfLink.value
    if (token) void run({ token }).then(() => (tokenOfLink.value = undefined))
  }, [])
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <div class="row">
          <img src="icon.svg" width="40" height="40" alt="" />
          <h1>Sign in to Trailmark</h1>
        </div>
        {isRunning || isBusy ? (
          <p role="status">Signing in with your link …</p>
        ) : (
          <>
            <KeyForm onSignedIn={onSignedIn} problem={error} />
            <p class="muted small">
              Or open a new one-time link: run <code>trailmark console</code> on the machine of the service. A link
              works once and for 15 minutes.
            </p>
          </>
        )}
      </div>
    </main>
  )
}

/** Asks for the key again over the page whose session has ended. The page and what was written in it stay. */
export const SignInAgain = () => (
  <Dialog title="Your session has ended" onClose={() => (hasExpired.value = false)}>
    <p>Sign in again to continue. Nothing on this page is lost.</p>
    <KeyForm
      onSignedIn={() => {
        hasExpired.value = false
        renewals.value++
      }}
    />
  </Dialog>
)
