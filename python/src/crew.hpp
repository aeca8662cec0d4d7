#pragma once

#include <barrier>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <unistd.h>

namespace batfill::python {

// Threads that do parts of a task together with the thread that calls. A forked process has none of them.
class Crew {
 public:
    explicit Crew(std::size_t size)
        : size_(size), begin_(static_cast<std::ptrdiff_t>(size)), end_(static_cast<std::ptrdiff_t>(size)) {
        for (std::size_t part = 1; part < size; ++part) {
            threads_->emplace_back([this, part] {
                for (;;) {
                    begin_.arrive_and_wait();
                    if (task_ == nullptr) {
                        return;
                    }
                    (*task_)(part);
                    end_.arrive_and_wait();
                }
            });
        }
    }
    ~Crew() {
        if (!is_here()) {
            // A thread that does not exist cannot be joined, and its object cannot be destroyed.
            static_cast<void>(threads_.release());
            return;
        }
        task_ = nullptr;
        begin_.arrive_and_wait();
        for (std::thread& thread : *threads_) {
            thread.join();
        }
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    std::size_t size() const { return size_; }
    // Whether this process has the threads.
    bool is_here() const { return threads_->empty() || getpid() == process_; }
    // Calls the task, which throws nothing, for each part: 0 to size() - 1.
    // Requires: is_here().
    void run(const std::function<void(std::size_t)>& task) {
        task_ = &task;
        begin_.arrive_and_wait();
        task(0);
        end_.arrive_and_wait();
    }

 private:
    std::size_t size_;
    std::barrier<> begin_;
    std::barrier<> end_;
    const std::function<void(std::size_t)>* task_ = nullptr;
    pid_t process_ = getpid();
    std::unique_ptr<std::vector<std::thread>> threads_ = std::make_unique<std::vector<std::thread>>();
};

}  // namespace batfill::python
