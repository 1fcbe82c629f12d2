import { SERVICE_URL } from '../api/client.ts'
import { Code } from '../ui/copy.tsx'
import type { NewShare } from './shareApi.ts'

const frameOf = (url: string, title: string) =>
  `<iframe src="${url}" title="${title.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}" width="100%" height="600" style="border: 0" referrerpolicy="no-referrer"></iframe>`

/** The link of a new share, and the code that embeds it. They are shown once. */
export const NewLink = ({ share }: { readonly share: NewShare }) => (
  <div class="box" role="status">
    <p>Copy the link now. It is shown only once.</p>
    <Code label="Link" text={`${SERVICE_URL}${share.path}`} wraps />
    {share.origins.length > 0 && (
      <>
        <p>For pages of {share.origins.join(', ')}:</p>
        <Code
          label="Code for pages"
          text={frameOf(`${SERVICE_URL}${share.embed_path}`, share.title ?? 'Chart')}
          wraps
        />
      </>
    )}
  </div>
)
