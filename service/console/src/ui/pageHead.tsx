import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

/** The head of a page: its title, which is also the document title, and its actions. */
export const PageHead = ({
  title,
  about,
  children,
}: {
  readonly title: string
  readonly about?: ComponentChildren
  readonly children?: ComponentChildren
}) => {
  useEffect(() => {
    document.title = `${title} · Trailmark`
  }, [title])
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        {about && <p class="muted">{about}</p>}
      </div>
      <div class="row">{children}</div>
    </header>
  )
}

/** A bordered part of a page with a heading. */
export const Card = ({
  title,
  actions,
  children,
}: {
  readonly title?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="card">
    {(title || actions) && (
      <div class="card-head">
        {title && <h2>{title}</h2>}
        {actions && <div class="row">{actions}</div>}
      </div>
    )}
    {children}
  </section>
)
