export { groups } from '../../client/features/groups/groups'
