import { useSyncExternalStore } from 'react'

/** Returns the path of the page. The SDK counts pages by the history API, so no router has to tell it. */
export const usePath = () =>
  useSyncExternalStore(
    (listener) => {
      addEventListener('popstate', listener)
      return () => removeEventListener('popstate', listener)
    },
    () => location.pathname,
  )

export const Link = ({ id, to }: { id: string; to: string }) => (
  <a
    id={id}
    href={to}
    onClick={(event) => {
      event.preventDefault()
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    }}
  >
    {id}
  </a>
)
