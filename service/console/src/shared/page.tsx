import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Failure } from '../api/failure.ts'
import { Field } from '../ui/field.tsx'
import { Failed, Skeleton } from '../ui/states.tsx'
import { createReader, isOver, type Reader, type ReaderShare } from './reader.ts'
import { SharedBoard } from './sharedBoard.tsx'
import styles from './shared.module.css'

const REFRESH_MS = 60_000

/** What the page says when there is nothing to show, by the code of the failure. */
const MESSAGES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  expired: ['This link has expired', 'Ask the person who sent it for a new one.'],
  revoked: ['This link was revoked', 'Ask the person who sent it for a new one.'],
  suspended: ['This link is paused', 'What it shows was changed. Its owner can make it work again.'],
  not_found: [
    'This link does not work',
    'Check that you have all of it, up to the last character, or ask for a new one.',
  ],
}

const Message = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <main class={styles.message}>
    <h1>{title}</h1>
    <p role="status">{text}</p>
  </main>
)

const PasswordForm = ({
  reader,
  onOpen,
  onFailure,
}: {
  readonly reader: Reader
  readonly onOpen: (share: ReaderShare) => void
  readonly onFailure: (failure: Failure) => void
}) => {
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  const [isRunning, setRunning] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setRunning(true)
    setError(undefined)
    try {
      onOpen(await reader.open(password))
    } catch (failure) {
      if (failure instanceof Failure && failure.status !== 401 && isOver(failure)) return onFailure(failure)
      setError(failure instanceof Error ? failure.message : String(failure))
    } finally {
      setRunning(false)
    }
  }
  return (
    <main class={styles.message}>
      <h1>This link has a password</h1>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <Field label="Password" error={error}>
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              type="password"
              autocomplete="off"
              required
              value={password}
              onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          )}
        </Field>
        <div aria-live="polite" class="visually-hidden">
          {error}
        </div>
        <button type="submit" class="button primary" disabled={isRunning}>
          Open
        </button>
      </form>
    </main>
  )
}

/** Increases each minute while the page can be seen, and when it is seen again. */
const useRounds = (): readonly [number, () => void] => {
  const [round, setRound] = useState(0)
  const next = () => setRound((count) => count + 1)
  useEffect(() => {
    const tick = () => document.visibilityState === 'visible' && next()
    const timer = setInterval(tick, REFRESH_MS)
    document.addEventListener('visibilitychange', tick)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', tick)
    }
  }, [])
  return [round, next]
}

/** The page of a share: what it shows, or why there is nothing to show. */
export const SharedPage = ({ token, isFramed }: { readonly token: string; readonly isFramed: boolean }) => {
  const [share, setShare] = useState<ReaderShare>()
  const [failure, setFailure] = useState<Failure>()
  const [round, next] = useRounds()
  const isGone = useRef(false)
  const reader = useMemo(() => createReader(token, (opened) => !isGone.current && setShare(opened)), [token])
  const fail = (given: unknown) => {
    const found = given instanceof Failure ? given : new Failure('This page does not work here.', 'unknown', 0)
    if (isOver(found)) {
      isGone.current = true
      setShare(undefined)
    }
    setFailure(found)
  }
  const reopen = (opened: ReaderShare) => {
    isGone.current = false
    setFailure(undefined)
    setShare(opened)
  }
  const open = () => {
    setFailure(undefined)
    reader.open().catch(fail)
  }
  useEffect(open, [reader])
  useEffect(() => {
    document.title = share?.title ?? 'Shared with you'
  }, [share?.title])

  if (failure && isOver(failure)) {
    if (failure.code === 'share_password') return <PasswordForm reader={reader} onOpen={reopen} onFailure={fail} />
    const [title, text] = MESSAGES[failure.code] ?? MESSAGES.not_found!
    return <Message title={title} text={text} />
  }
  if (share)
    return (
      <main class={styles.page}>
        <div class="row between">
          {isFramed ? <h1 class="visually-hidden">{share.title}</h1> : <h1>{share.title}</h1>}
          <button type="button" class="button" onClick={next}>
            Refresh
          </button>
        </div>
        {share.description && <p class="muted">{share.description}</p>}
        <SharedBoard share={share} source={{ show: reader.show, round, onOver: fail }} />
      </main>
    )
  return (
    <main class={styles.message} aria-busy={!failure}>
      <h1 class="visually-hidden">Shared with you</h1>
      {failure ? <Failed error={failure} onRetry={open} /> : <Skeleton lines={5} />}
    </main>
  )
}
