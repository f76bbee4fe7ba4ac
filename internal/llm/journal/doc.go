// Package journal keeps every exchange with an endpoint in one append-only file.
//
// It owns the record of an exchange and its line on disk, the table by which an
// answer is found again, and the lock that keeps a second writer out. It is the
// cache and the point from which a run resumes.
package journal
