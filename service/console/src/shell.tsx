import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { areShortcutsOn, setShortcutsOn, shortcuts, useShortcuts } from './lib/shortcuts.ts'
import { setTheme, theme, THEMES } from './lib/theme.ts'
import { GROUPS, PAGES } from './pages.ts'
import { type Project, useLink, useProject } from './project.ts'
import { linkTo, navigate, path } from './router.ts'
import { signOut } from './signIn.tsx'
import { Dialog } from './ui/dialog.tsx'
import { Icon } from './ui/icon.tsx'
import { Menu } from './ui/menu.tsx'

interface ShellProps {
  readonly projects: readonly Project[]
  readonly keyLabel: string
  /** Path of the shown page in the table of pages. */
  readonly current: string | undefined
  readonly children: ComponentChildren
}

/** The frame around every page: navigation, project, theme, sign-out. */
export const Shell = ({ projects, keyLabel, current, children }: ShellProps) => {
  const [isOpen, setOpen] = useState(false)
  const [isHelpOpen, setHelpOpen] = useState(false)
  useEffect(() => setOpen(false), [path.value])
  useShortcuts(useMemo(() => [{ key: '?', about: 'Show this list', run: () => setHelpOpen(true) }], []))
  return (
    <div class="shell">
      <button type="button" class="skip-link" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="topbar">
        <Brand />
        <button
          type="button"
          class="button plain icon"
          aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} />
        </button>
      </header>
      <aside class={isOpen ? 'sidebar is-open' : 'sidebar'} aria-label="Console">
        <div class="row between">
          <Brand />
          {isOpen && (
            <button type="button" class="button plain icon" aria-label="Close the menu" onClick={() => setOpen(false)}>
              <Icon name="close" />
            </button>
          )}
        </div>
        <ProjectMenu projects={projects} />
        <nav aria-label="Pages" class="stack">
          <Navigation current={current} />
        </nav>
        <div class="sidebar-foot">
          <AccountMenu keyLabel={keyLabel} onHelp={() => setHelpOpen(true)} />
        </div>
      </aside>
      <main class="main" id="main" tabIndex={-1}>
        {children}
      </main>
      {isHelpOpen && <Shortcuts onClose={() => setHelpOpen(false)} />}
    </div>
  )
}

const Brand = () => (
  <a class="brand" href={linkTo('')}>
    <img src="icon.svg" alt="" />
    Trailmark
  </a>
)

const Navigation = ({ current }: { readonly current: string | undefined }) => {
  const link = useLink()
  return GROUPS.map((group) => {
    const pages = PAGES.filter((page) => page.group === group)
    return (
      pages.length > 0 && (
        <div key={group} class="nav-group">
          <h2>{group}</h2>
          {pages.map(({ path: to, title, icon }) => (
            <a key={to} href={link(to)} aria-current={current?.split('/')[0] === to ? 'page' : undefined}>
              <Icon name={icon} />
              {title}
            </a>
          ))}
        </div>
      )
    )
  })
}

const ProjectMenu = ({ projects }: { readonly projects: readonly Project[] }) => {
  const project = useProject()
  if (projects.length < 2) return <div class="project-name clip muted">{project.name}</div>
  return (
    <Menu
      button={
        <>
          <span class="clip">{project.name}</span> <Icon name="down" size={14} />
        </>
      }
      fromLeft
    >
      {(close) =>
        projects.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="menuitemradio"
            aria-checked={id === project.id}
            onClick={() => {
              close()
              navigate(linkTo(`projects/${id}/overview`))
            }}
          >
            {name}
          </button>
        ))
      }
    </Menu>
  )
}

const AccountMenu = ({ keyLabel, onHelp }: { readonly keyLabel: string; readonly onHelp: () => void }) => (
  <div class="stack" style={{ gap: '0.25rem' }}>
    <label class="row between small">
      <span>Theme</span>
      <select
        class="input"
        value={theme.value}
        onChange={(event) => setTheme(event.currentTarget.value as (typeof THEMES)[number])}
      >
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {each[0]!.toUpperCase() + each.slice(1)}
          </option>
        ))}
      </select>
    </label>
    <a class="button plain" href="../docs/" target="_blank" rel="noreferrer">
      Docs
    </a>
    <button type="button" class="button plain" onClick={onHelp}>
      Keyboard shortcuts
    </button>
    <button type="button" class="button plain" onClick={() => void signOut()}>
      Sign out
    </button>
    <p class="small muted clip" title={keyLabel}>
      Signed in with “{keyLabel}”
    </p>
  </div>
)

const KEY_NAMES: Readonly<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' }

const Shortcuts = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <label class="row">
      <input
        type="checkbox"
        checked={areShortcutsOn.value}
        onChange={(event) => setShortcutsOn(event.currentTarget.checked)}
      />
      Use single keys as shortcuts
    </label>
    <table class="table">
      <tbody>
        {shortcuts.value.map(({ key, about }) => (
          <tr key={key}>
            <td>
              <kbd class="kbd">{KEY_NAMES[key] ?? key.toUpperCase()}</kbd>
            </td>
            <td>{about}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Dialog>
)
