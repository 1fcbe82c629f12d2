import { ExportCard } from './exportCard.tsx'
import { ImportsCard } from './importsCard.tsx'

/** Data that moves into and out of the project. */
export const DataTab = () => (
  <div class="stack">
    <ImportsCard />
    <ExportCard />
  </div>
)
