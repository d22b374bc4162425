// Clang's thread-safety annotations: which lock guards a member, and which locks a function needs.
// clang checks them at compile time (./dev threads, thread_safety_test). They are empty for other
// compilers, and generate no code.
//
//   Mutex mutex_;
//   int count_ LAUREL_GUARDED_BY(mutex_) = 0;     // read and written with the lock held
//   void Add() LAUREL_REQUIRES(mutex_);           // called with the lock held
//   void Reset() LAUREL_EXCLUDES(mutex_);         // takes the lock itself
//
// The analysis has limits:
// - Constructors and destructors are not checked, because no other thread may use the object then.
// - A lambda is checked as a function of its own. One that needs a lock says so:
//   [&]() LAUREL_REQUIRES(mutex_) { return count_; }. A call through std::function is not checked.
// - A pointer or reference to a guarded member is not followed.
#pragma once

#if defined(__clang__)
#define LAUREL_THREAD_ANNOTATION(attribute) __attribute__((attribute))
#else
#define LAUREL_THREAD_ANNOTATION(attribute)
#endif

// Marks a class that is a lock. `kind` appears in the messages of the compiler.
#define LAUREL_CAPABILITY(kind) LAUREL_THREAD_ANNOTATION(capability(kind))
// Marks a class whose objects hold a lock as long as they exist.
#define LAUREL_SCOPED_CAPABILITY LAUREL_THREAD_ANNOTATION(scoped_lockable)

// Marks a member that may be accessed only with the lock held.
#define LAUREL_GUARDED_BY(lock) LAUREL_THREAD_ANNOTATION(guarded_by(lock))

// Marks a function that is called with the locks held, and returns with them held.
#define LAUREL_REQUIRES(...) LAUREL_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
// Marks a function that must be called without the locks held, because it takes them.
#define LAUREL_EXCLUDES(...) LAUREL_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
// Marks a function that takes or releases the locks; without an argument, the object itself.
#define LAUREL_ACQUIRE(...) LAUREL_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define LAUREL_RELEASE(...) LAUREL_THREAD_ANNOTATION(release_capability(__VA_ARGS__))

// Switches the analysis off for the body of a function. A comment says why the code is right.
#define LAUREL_NO_THREAD_SAFETY_ANALYSIS LAUREL_THREAD_ANNOTATION(no_thread_safety_analysis)
