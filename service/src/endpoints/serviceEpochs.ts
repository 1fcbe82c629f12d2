import type { Metadata } from '../storage/metadata/metadata.ts'
import { createEpochs, createSharedEpochs, type Epochs } from './epochs.ts'
import { createOwnerChanges, type OwnerChanges, type OwnerChangesOptions } from './ownerChanges.ts'

/** The epochs of a service, each with one number for a project. */
export interface ServiceEpochs {
  /** Count changes of the events. */
  readonly epochs: Epochs
  /** Counts changes of which person an id belongs to. */
  readonly owners: OwnerChanges
}

/** `shared`: the metadata store of all processes. Absent: this is the only process. */
export const createServiceEpochs = (
  shared: Pick<Metadata, 'epochs'> | undefined,
  onMerge?: OwnerChangesOptions['onMerge'],
): ServiceEpochs => {
  // The ids of projects are positive.
  const ownerEpochs = shared ? createSharedEpochs(shared, (projectId) => -projectId) : createEpochs()
  return {
    epochs: shared ? createSharedEpochs(shared) : createEpochs(),
    owners: createOwnerChanges({ epochs: ownerEpochs, isAlone: !shared, onMerge }),
  }
}
